import {useEffect, useRef, useState} from 'react';
import {stillStepMs} from '../terminal/motion.ts';
import {activityOf, awaitsModel, retryTime} from './attention/attention-text.ts';
import {useApp, useUi} from './context.ts';

/** For how long a model may write nothing before that is shown: one that thinks is often silent for seconds. */
const shownSilenceMs = 10_000;

/** Returns the milliseconds until `end` (since the epoch), in whole seconds or larger steps; 0 after it or without an end. */
export function useCountdown(end: number | undefined): number {
	const {now, stepMs} = useClock(end);
	return end === undefined ? 0 : Math.max(0, Math.ceil((end - now) / stepMs) * stepMs);
}

type Times = {
	/** Since the start, without the time in which the user was asked, in milliseconds: whole seconds or larger steps; 0 without a start. */
	readonly elapsedMs: number;
	/** For how long the model of the run has written nothing; 0 for the first ten seconds, while a tool works, and without a run. */
	readonly silentMs: number;
	/** In how much time the model is asked again; 0 if nothing waits for that. */
	readonly retryMs: number;
};

/** Returns how long a run, or a command that began at `start` (ISO 8601), has worked, and how long a run is silent. */
export function useTimes(start: string | undefined, run: string | undefined): Times {
	const {store} = useUi();
	const {now, stepMs} = useClock(start);
	const askedMs = useAskedMs(start);
	const heard = useRef({run, seq: -1, at: Date.now()});
	const {transcript} = store.getState();
	const {seq} = transcript;
	if (run !== heard.current.run || seq !== heard.current.seq || !awaitsModel(transcript)) {
		// The clock of the last run stood still since.
		heard.current = {run, seq, at: Date.now()};
	}

	const wholeSteps = (sinceMs: number) => Math.max(0, Math.floor(sinceMs / stepMs) * stepMs);
	const retryAt = run && awaitsModel(transcript) ? retryTime(transcript) : 0;
	const silentMs = wholeSteps(now - Math.max(heard.current.at, retryAt));
	return {
		elapsedMs: start ? wholeSteps(now - Date.parse(start) - askedMs(now)) : 0,
		silentMs: run && silentMs >= shownSilenceMs ? silentMs : 0,
		retryMs: Math.max(0, Math.ceil((retryAt - now) / stepMs) * stepMs),
	};
}

/** Returns what says for how many milliseconds since `start` the user was asked, and nothing worked. */
function useAskedMs(start: string | undefined): (now: number) => number {
	const isAsked = useApp(state => activityOf(state) === 'needs you');
	const asked = useRef({start, totalMs: 0, since: 0});
	if (asked.current.start !== start) {
		asked.current = {start, totalMs: 0, since: 0};
	}

	const {totalMs, since} = asked.current;
	if (isAsked && since === 0) {
		asked.current = {start, totalMs, since: Date.now()};
	} else if (!isAsked && since > 0) {
		asked.current = {start, totalMs: totalMs + Date.now() - since, since: 0};
	}

	return now => asked.current.totalMs + (asked.current.since > 0 ? Math.max(0, now - asked.current.since) : 0);
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
