"""Which URIs a crawl takes: a sequence of decide rules, the last one that decides wins (Heritrix §8.2, seed 001)."""
