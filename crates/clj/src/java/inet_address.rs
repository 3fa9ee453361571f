//! `java.net.InetAddress`: names and addresses of machines, as the host resolves them.

use std::any::Any;
use std::net::{IpAddr, Ipv4Addr};

use super::{JavaClass, member};
use crate::core::arguments::string;
use crate::{Cx, Object, Result, Thrown, Value};

pub(super) const CLASSES: &[JavaClass] = &[JavaClass {
    name: "java.net.InetAddress",
    construct: None,
    statics: &[
        member("getLocalHost", 0, 0, |cx, _| {
            let name = cx.rt.host.hostname();
            let address = resolve(cx, &name)
                .ok()
                .and_then(|found| found.first().copied());
            let address = address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
            Ok(Value::object(InetAddress {
                name: Some(name),
                address,
            }))
        }),
        member("getLoopbackAddress", 0, 0, |_, _| {
            let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
            Ok(Value::object(InetAddress {
                name: Some("localhost".into()),
                address,
            }))
        }),
        member("getByName", 1, 1, |cx, a| {
            let name = string(&a[0])?;
            let found = resolve(cx, name)?;
            match found.first() {
                Some(address) => Ok(of(name, *address)),
                None => Err(unknown(name)),
            }
        }),
        member("getAllByName", 1, 1, |cx, a| {
            let name = string(&a[0])?;
            let found = resolve(cx, name)?;
            let all = found.into_iter().map(|address| of(name, address)).collect();
            Ok(Value::object(super::Array::new(
                "[Ljava.net.InetAddress;",
                all,
            )))
        }),
    ],
    fields: &[],
}];

struct InetAddress {
    /// As it was asked for; `None` where that was an address.
    name: Option<String>,
    address: IpAddr,
}

fn of(name: &str, address: IpAddr) -> Value {
    let name = if name.parse::<IpAddr>().is_ok() {
        None
    } else {
        Some(name.to_owned())
    };
    Value::object(InetAddress { name, address })
}

fn resolve(cx: &Cx<'_>, name: &str) -> Result<Vec<IpAddr>> {
    if let Ok(address) = name.parse() {
        return Ok(vec![address]);
    }
    cx.rt.host.addresses(name).map_err(|_| unknown(name))
}

fn unknown(name: &str) -> Thrown {
    Thrown::new(
        "java.net.UnknownHostException",
        format!("{name}: Name or service not known"),
    )
}

impl InetAddress {
    fn host_name(&self) -> String {
        self.name
            .clone()
            .unwrap_or_else(|| self.address.to_string())
    }
}

impl Object for InetAddress {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn class_name(&self) -> &str {
        match self.address {
            IpAddr::V4(_) => "java.net.Inet4Address",
            IpAddr::V6(_) => "java.net.Inet6Address",
        }
    }

    fn is_a(&self, class: &str) -> bool {
        class == "java.net.InetAddress"
    }

    fn text(&self) -> Option<String> {
        Some(format!(
            "{}/{}",
            self.name.as_deref().unwrap_or(""),
            self.address
        ))
    }

    fn equals(&self, other: &dyn Object) -> bool {
        let other = other.as_any().downcast_ref::<InetAddress>();
        other.is_some_and(|other| self.address == other.address)
    }

    fn hash_code(&self) -> Option<u64> {
        use std::hash::BuildHasher;
        Some(foldhash::fast::FixedState::default().hash_one(self.address))
    }

    fn method(&self, _: &Cx<'_>, name: &str, args: &[Value]) -> Option<Result> {
        Some(Ok(match (name, args) {
            ("getHostName" | "getCanonicalHostName", []) => Value::from(self.host_name()),
            ("getHostAddress", []) => Value::from(self.address.to_string()),
            ("isLoopbackAddress", []) => Value::Bool(self.address.is_loopback()),
            ("getAddress", []) => Value::object(match self.address {
                IpAddr::V4(address) => super::Array::of_bytes(&address.octets()),
                IpAddr::V6(address) => super::Array::of_bytes(&address.octets()),
            }),
            _ => return None,
        }))
    }
}
