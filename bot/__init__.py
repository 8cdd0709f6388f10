"""burn-triage: a signed webhook becomes a durable delivery, a pure policy decides, one writer acts on GitHub."""
