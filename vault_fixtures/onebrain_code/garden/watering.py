"""Watering plan for the beds: two fixed times a day, skipped when rain is expected."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time

START_TIMES = (time(6, 0), time(17, 30))
RAIN_LIMIT_MM = 4.0


@dataclass(frozen=True)
class Bed:
    """One garden bed: its name, its area in square metres and the litres a minute of its valve."""

    name: str
    area_m2: float
    litres_per_minute: float


def is_rain_expected(forecast_mm: float) -> bool:
    """Whether the forecast for the day makes watering needless."""
    return forecast_mm >= RAIN_LIMIT_MM


def minutes_for_bed(bed: Bed, litres_per_m2: float = 3.0) -> int:
    """How long a valve stays open at each start time, in whole minutes, never more than 25."""
    return min(25, round(bed.area_m2 * litres_per_m2 / bed.litres_per_minute))
