import {useEffect, useState} from 'react';

/** Milliseconds since `start`, counted in whole seconds while there is one; 0 without. Takes ISO 8601. */
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

/** Milliseconds until `end`, which is in milliseconds since the epoch, counted in whole seconds; never below 0. */
export function useCountdown(end: number): number {
	const [now, setNow] = useState(() => Date.now());
	useEffect(() => {
		const timer = setInterval(() => setNow(Date.now()), 1000);
		return () => clearInterval(timer);
	}, []);
	return Math.max(0, Math.ceil((end - now) / 1000) * 1000);
}
