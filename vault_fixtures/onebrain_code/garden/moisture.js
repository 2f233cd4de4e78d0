// Soil probe on the ESP32: raw readings to percent. Kept for the seed trays; the beds no longer use it.

const DRY_RAW = 2860;
const WET_RAW = 1240;

/** Percent of moisture from a raw reading, clamped to 0..100. */
export function readMoisturePercent(raw) {
  const share = (DRY_RAW - raw) / (DRY_RAW - WET_RAW);
  return Math.round(Math.min(1, Math.max(0, share)) * 100);
}

/** Median of several readings, because a single one jumps when the pump starts. */
export function steadyReading(readings) {
  const sorted = [...readings].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** True when the probe has drifted so far that it must be cleaned or thrown away. */
export function isProbeCorroded(rawInAir) {
  return Math.abs(rawInAir - DRY_RAW) > 400;
}
