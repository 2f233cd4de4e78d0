// When does the reading group meet next? On the first Sunday of each month, 19:00 in Chiang Mai.

/** First Sunday of the month that contains `day`. */
export function firstSunday(day) {
  const first = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1));
  first.setUTCDate(1 + ((7 - first.getUTCDay()) % 7));
  return first;
}

/** The next meeting on or after `today`. */
export function nextMeeting(today) {
  const here = firstSunday(today);
  if (here >= today) return here;
  return firstSunday(new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1)));
}
