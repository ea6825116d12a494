/** Formats a count as `950`, `1.3k`, `12k` or `1.2M`: at most four characters below 10^12; `?` for an invalid count. */
export function formatCount(count: number): string {
	if (!(count >= 0)) {
		return '?';
	}

	const units = [
		{size: 1_000_000_000, letter: 'G'},
		{size: 1_000_000, letter: 'M'},
		{size: 1000, letter: 'k'},
	];
	// The half steps keep 999,950 from becoming 1000k.
	const unit = units.find(({size}) => count >= size * 0.9995);
	if (!unit) {
		return String(Math.round(count));
	}

	const value = count / unit.size;
	return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${unit.letter}`;
}

/**
 * Formats US dollars with as many digits as matter; never `$0.00` for a positive cost, `unknown` for null or an invalid
 * cost.
 */
export function formatUsd(usd: number | null): string {
	if (usd === null || !Number.isFinite(usd) || usd < 0) {
		return 'unknown';
	}

	if (usd === 0) {
		return '$0.00';
	}

	if (usd < 0.0001) {
		return '<$0.0001';
	}

	return `$${usd.toFixed(usd < 0.995 ? (usd < 0.00995 ? 4 : 3) : 2)}`;
}

/** Formats a duration as `400 ms`, `1.2 s`, `12 s`, `3 m 04 s` or `2 h 05 m`; `0 ms` after the clock was set back. */
export function formatDuration(milliseconds: number): string {
	const seconds = milliseconds / 1000;
	if (!(milliseconds >= 999.5)) {
		return `${Math.round(Math.max(0, milliseconds || 0))} ms`;
	}

	if (seconds < 9.95) {
		return `${seconds.toFixed(1)} s`;
	}

	if (seconds < 59.5) {
		return `${Math.round(seconds)} s`;
	}

	const minutes = Math.floor(Math.round(seconds) / 60);
	const pad = (value: number) => String(value).padStart(2, '0');
	return minutes < 60
		? `${minutes} m ${pad(Math.round(seconds) % 60)} s`
		: `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} m`;
}

/** Formats a duration that goes on in whole seconds, as `9 s` or `3 m 04 s`. */
export function formatElapsed(milliseconds: number): string {
	const wholeMs = Math.floor(Math.max(0, milliseconds) / 1000) * 1000;
	return wholeMs < 10_000 ? `${wholeMs / 1000} s` : formatDuration(wholeMs);
}

/** Formats the time until something ends: in whole minutes, as `59 min` or `1 h 00 m`, and in seconds for the last five minutes. */
export function formatRemaining(milliseconds: number): string {
	const minutes = Math.round(milliseconds / 60_000);
	return milliseconds <= 5 * 60_000
		? formatElapsed(milliseconds)
		: minutes < 60
			? `${minutes} min`
			: formatDuration(minutes * 60_000);
}

/** Formats a size in bytes as `312 B`, `2.1 kB` or `14 MB`. */
export function formatBytes(bytes: number): string {
	const count = formatCount(bytes);
	return /[kMG]$/.test(count) ? `${count.slice(0, -1)} ${count.slice(-1)}B` : `${count} B`;
}

/**
 * Formats the age of a time in ISO 8601: `now`, `5 min ago`, `3 h ago`, `2 d ago`, then the date; `in 3 h` for the
 * future.
 */
export function formatAge(at: string, now = Date.now()): string {
	const minutes = (now - Date.parse(at)) / 60_000;
	if (Number.isNaN(minutes)) {
		return '';
	}

	const away = Math.abs(minutes);
	if (away < 1) {
		return 'now';
	}

	if (away >= 14 * 24 * 60) {
		return at.slice(0, 10);
	}

	const hours = away / 60;
	const span =
		away < 60 ? `${Math.floor(away)} min` : hours < 24 ? `${Math.floor(hours)} h` : `${Math.floor(hours / 24)} d`;
	return minutes < 0 ? `in ${span}` : `${span} ago`;
}

/** Formats milliseconds since 1970 as the local time of day, such as `14:03:07`. */
export function formatClock(at: number): string {
	const time = new Date(at);
	return [time.getHours(), time.getMinutes(), time.getSeconds()].map(part => String(part).padStart(2, '0')).join(':');
}

/** Formats an ISO 8601 time as the local date, such as `2026-01-31`. */
export function formatDate(at: string): string {
	const time = new Date(at);
	const pad = (value: number) => String(value).padStart(2, '0');
	return `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}`;
}

let numberFormat: Intl.NumberFormat | undefined;

/** Formats a number in full, such as `1,234,567`, with at most three decimals. */
export function formatNumber(value: number): string {
	// Creating it takes many times as long as formatting.
	numberFormat ??= new Intl.NumberFormat('en-US', {maximumFractionDigits: 3});
	return numberFormat.format(value);
}

/** Formats an amount with a noun whose plural ends in s, such as `1,234 lines` or `1 gap`. */
export function formatAmount(count: number, noun: string): string {
	return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Formats a measurement of any size briefly, as `0.913`, `12.5`, `1,234` or `1.00e+308`; `?` for an invalid number. */
export function formatMeasure(value: number): string {
	if (!Number.isFinite(value)) {
		return '?';
	}

	const size = Math.abs(value);
	if (size !== 0 && (size < 0.001 || size >= 1e6)) {
		return value.toExponential(2);
	}

	return size < 1 ? String(Number(value.toPrecision(3))) : formatNumber(value);
}
