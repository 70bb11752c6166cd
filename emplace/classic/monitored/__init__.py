"""Sessions that look after a training: they start, save, stop and recover; hooks take part."""
