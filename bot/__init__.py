"""burn-triage: a signed webhook becomes a durable delivery, a pure policy turns it into actions, one writer applies them."""
