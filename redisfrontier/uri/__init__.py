"""URI syntax: parsing, canonical form, SURT, fingerprint."""
