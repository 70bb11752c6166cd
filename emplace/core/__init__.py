"""The values that flow, the state around them, and the events that tell what happened."""
