// Sends every kind of event with riemann-go-client and asks for it back.
//
//	go-client tcp|udp ADDRESS TCP_ADDRESS
//	go-client tls ADDRESS CERTIFICATE KEY
package main

import (
	"fmt"
	"log"
	"os"
	"reflect"
	"time"

	riemann "github.com/riemann/riemann-go-client"
)

const patience = 20 * time.Second

var sent = map[string]riemann.Event{
	"int":    {Metric: 9007199254740993},
	"min":    {Metric: int64(-1 << 63)},
	"uint":   {Metric: uint32(7)},
	"float":  {Metric: float32(0.5)},
	"double": {Metric: 3.141592653589793},
	"none":   {},
	"text":   {State: "grün", Description: "ligne 1\nligne 2 – ☃ 𝄞"},
	"tags":   {Tags: []string{"a", "b c", "ü"}},
	"attributes": {
		Attributes: map[string]string{"rack": "a1", "größe": "10 µm", "empty": ""},
	},
	"micros": {Time: time.Unix(1700000000, 123456000), TTL: 1 << 30 * time.Second},
}

func main() {
	arguments := os.Args[1:]
	way, address := arguments[0], arguments[1]
	switch way {
	case "tcp":
		client := connected(riemann.NewTCPClient(address, patience))
		sendAll(client, way)
		check(client, way)
	case "tls":
		config, err := riemann.GetTLSConfig("localhost", arguments[2], arguments[3], true)
		must(err)
		client, err := riemann.NewTLSClient(address, config, patience)
		must(err)
		must(client.Connect())
		sendAll(client, way)
		check(client, way)
	case "udp":
		sender := riemann.NewUDPClient(address, patience)
		must(sender.Connect())
		sendAll(sender, way)
		reader := connected(riemann.NewTCPClient(arguments[2], patience))
		awaitAll(reader, way)
		check(reader, way)
	default:
		log.Fatalf("no such way: %s", way)
	}
}

func connected(client *riemann.TCPClient) *riemann.TCPClient {
	must(client.Connect())
	return client
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// service names must differ between the ways: all go into one index.
func named(name, way string) riemann.Event {
	event := sent[name]
	event.Host = "go-" + way
	event.Service = name
	if event.Time.IsZero() {
		event.Time = time.Now()
	}
	if event.TTL == 0 {
		event.TTL = 300 * time.Second
	}
	return event
}

// One event alone, the rest in one message.
func sendAll(client riemann.Client, way string) {
	alone := named("int", way)
	answer, err := riemann.SendEvent(client, &alone)
	must(err)
	if way != "udp" && !answer.GetOk() {
		log.Fatalf("not acknowledged: %v", answer)
	}
	var together []riemann.Event
	for name := range sent {
		if name != "int" {
			together = append(together, named(name, way))
		}
	}
	_, err = riemann.SendEvents(client, &together)
	must(err)
}

func query(client *riemann.TCPClient, text string) map[string]riemann.Event {
	events, err := client.QueryIndex(text)
	must(err)
	found := map[string]riemann.Event{}
	for _, event := range events {
		found[event.Service] = event
	}
	return found
}

func awaitAll(client *riemann.TCPClient, way string) {
	deadline := time.Now().Add(patience)
	for len(query(client, fmt.Sprintf("host = \"go-%s\"", way))) < len(sent) {
		if time.Now().After(deadline) {
			log.Fatal("datagrams did not arrive")
		}
	}
}

func check(client *riemann.TCPClient, way string) {
	found := query(client, fmt.Sprintf("host = \"go-%s\"", way))
	if len(found) != len(sent) {
		log.Fatalf("%d events of %d", len(found), len(sent))
	}
	for name := range sent {
		compare(found[name], named(name, way))
	}
	exact := map[string]string{
		"int":    "metric = 9007199254740993",
		"min":    "metric = -9223372036854775808",
		"double": "metric = 3.141592653589793",
		"none":   "metric = nil",
	}
	for name, clause := range exact {
		text := fmt.Sprintf("host = \"go-%s\" and service = \"%s\" and %s", way, name, clause)
		if len(query(client, text)) != 1 {
			log.Fatalf("nothing for %s", text)
		}
	}
}

// The client reads metrics from `metric_f` alone when that is there, so that they come back as
// floats; the queries above hold the server to the exact ones.
func compare(got, wanted riemann.Event) {
	same := got.Service == wanted.Service && got.State == wanted.State &&
		got.Description == wanted.Description && got.TTL == wanted.TTL &&
		equal(got.Tags, wanted.Tags) && equal(got.Attributes, wanted.Attributes) &&
		metric(got) == metric(wanted)
	if wanted.Service == "micros" {
		same = same && got.Time.Equal(wanted.Time)
	} else {
		age := wanted.Time.Sub(got.Time)
		same = same && age < patience && got.Time.Nanosecond()%1000 == 0
	}
	if !same {
		log.Fatalf("sent %+v, got %+v", wanted, got)
	}
}

func metric(event riemann.Event) float32 {
	if event.Metric == nil {
		return 0
	}
	kind := reflect.TypeOf(float32(0))
	return reflect.ValueOf(event.Metric).Convert(kind).Interface().(float32)
}

func equal(a, b any) bool {
	if reflect.ValueOf(a).Len() == 0 && reflect.ValueOf(b).Len() == 0 {
		return true
	}
	return reflect.DeepEqual(a, b)
}
