"""Takes deliveries from the inbox, asks the policy, and applies the decision on GitHub. `apply` is the only writer."""
