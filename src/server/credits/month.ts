/** Returns the month of a date in UTC, e.g. `2026-01`. Months sort as text. */
export function monthOf(now: Date): string {
	return now.toISOString().slice(0, 7);
}

/** Returns when the next month begins in UTC. */
export function nextMonth(now: Date): Date {
	return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
}
