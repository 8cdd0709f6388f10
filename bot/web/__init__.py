"""Flask: the webhook, health and metrics. Knows nothing of matching."""
