"""What main programs use: flags, switches between the versions, the digits of old tutorials."""
