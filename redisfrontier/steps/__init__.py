"""Each operation as steps: what it asks Redis and what it makes of the replies; the sync and the async facade run the same ones."""
