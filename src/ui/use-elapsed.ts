import {useEffect, useState} from 'react';
import {stillStepMs} from '../terminal/motion.ts';
import {useApp, useUi} from './context.ts';

/** For how long a model may write nothing before that is shown: one that thinks is often silent for seconds. */
const shownSilenceMs = 10_000;

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

/**
 * Returns the milliseconds for which the model of a run has written nothing, in whole seconds or larger steps; 0 for the
 * first ten seconds, while a tool works or waits, and without a run.
 */
export function useSilence(run: string | undefined): number {
	const {store} = useUi();
	const stepMs = useApp(({isStill}) => (isStill ? stillStepMs : 1000));
	const [silentMs, setSilentMs] = useState(0);
	useEffect(() => {
		setSilentMs(0);
		if (!run) {
			return;
		}

		let heard = {seq: store.getState().transcript.seq, at: Date.now()};
		const timer = setInterval(() => {
			const {seq, open} = store.getState().transcript;
			const now = Date.now();
			const isModel = open.every(block => block.kind !== 'tool' && block.kind !== 'command');
			heard = seq === heard.seq && isModel ? heard : {seq, at: now};
			const sinceMs = Math.floor((now - heard.at) / stepMs) * stepMs;
			setSilentMs(sinceMs < shownSilenceMs ? 0 : sinceMs);
		}, stepMs);
		return () => clearInterval(timer);
	}, [run, store, stepMs]);
	return silentMs;
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
