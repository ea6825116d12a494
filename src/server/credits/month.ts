/** The month of a moment in UTC, as `2026-01`; its order as text is its order in time. */
export function monthOf(now: Date): string {
	return now.toISOString().slice(0, 7);
}

/** When the next month begins in UTC. */
export function nextMonth(now: Date): Date {
	return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
}
