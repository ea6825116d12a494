import {useEffect, useState} from 'react';

/** Returns the milliseconds since `start` (ISO 8601), in whole seconds; 0 without a start. */
export function useElapsed(start: string | undefined): number {
	const [now, setNow] = useState(() => Date.now());
	useEffect(() => {
		if (!start) {
			return;
		}

		setNow(Date.now());
		const timer = setInterval(() => setNow(Date.now()), 1000);
		return () => clearInterval(timer);
	}, [start]);
	return start ? Math.max(0, Math.floor((now - Date.parse(start)) / 1000) * 1000) : 0;
}

/** Returns the milliseconds until `end` (since the epoch), in whole seconds; 0 after it or without an end. */
export function useCountdown(end: number | undefined): number {
	const [now, setNow] = useState(() => Date.now());
	useEffect(() => {
		if (end === undefined) {
			return;
		}

		setNow(Date.now());
		const timer = setInterval(() => setNow(Date.now()), 1000);
		return () => clearInterval(timer);
	}, [end]);
	return end === undefined ? 0 : Math.max(0, Math.ceil((end - now) / 1000) * 1000);
}
