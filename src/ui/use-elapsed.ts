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

/** Milliseconds until `end`, which is in milliseconds since the epoch, counted in whole seconds; 0 past it and without. */
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
