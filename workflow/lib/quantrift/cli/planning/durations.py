"""Durations as text for people."""


def duration(seconds: float) -> str:
    """Seconds as ``12 s``, ``3 min 05 s`` or ``2 h 07 min``."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"
