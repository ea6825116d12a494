import {useEffect, useState} from 'react';
import {stillStepMs} from '../terminal/motion.ts';
import {useApp} from './context.ts';

/** Returns the milliseconds since `start` (ISO 8601), in whole seconds or larger steps; 0 without a start. */
export function useElapsed(start: string | undefined): number {
	const {now, stepMs} = useClock(start);
	return start ? Math.max(0, Math.floor((now - Date.parse(start)) / stepMs) * stepMs) : 0;
}

/** Returns the milliseconds until `end` (since the epoch), in whole seconds or larger steps; 0 after it or without an end. */
export function useCountdown(end: number | undefined): number {
	const {now, stepMs} = useClock(end);
	return end === undefined ? 0 : Math.max(0, Math.ceil((end - now) / stepMs) * stepMs);
}

/** Returns the time while there is something to count: each second, or each few of them with reduced motion. */
function useClock(counted: string | number | undefined) {
	const stepMs = useApp(({isStill}) => (isStill ? stillStepMs : 1000));
	const [now, setNow] = useState(() => Date.now());
	useEffect(() => {
		if (counted === undefined || counted === '') {
			return;
		}

		setNow(Date.now());
		const timer = setInterval(() => setNow(Date.now()), stepMs);
		return () => clearInterval(timer);
	}, [counted, stepMs]);
	return {now, stepMs};
}
