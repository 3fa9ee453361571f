"""Sums a file of history up, and writes another one of some of it, as DuckDB understands them."""

import sys

import duckdb

given, made = sys.argv[1:]
print(
    duckdb.sql(
        f"""
        select count(*), sum(number) filter (not isnan(number)), min(epoch_us(time)),
               max(epoch_us(time)), count(distinct host), count(distinct service), count("by"),
               count(text), count(histogram), sum(octet_length(histogram))
        from '{given}'
        """
    ).fetchall()[0]
)
duckdb.execute(
    f"""
    copy (select * from '{given}' where number >= 100 or text is not null order by number)
    to '{made}' (format parquet)
    """
)
