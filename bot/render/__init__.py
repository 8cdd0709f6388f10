"""Every sentence the bot says, and how untrusted text is made harmless. Knows only values."""
