import {useEffect, useReducer} from 'react';
import {type Asked, steadyNow, untilAnswerable} from '../answerable.ts';
import {useApp} from '../context.ts';

/** Returns true once keys answer the question, and draws it again then. */
export function useAnswerable(panel: Asked): boolean {
	const typedAt = useApp(state => state.typedAt);
	const inSightSince = useApp(state => state.inSightSince);
	const [draws, redraw] = useReducer((count: number) => count + 1, 0);
	const until = () => untilAnswerable(panel, {typedAt, inSightSince}, steadyNow());
	const isAnswerable = until() <= 0;
	// A timer may fire too early by as much as the event loop was busy before it was set: then this draw sets another one.
	// biome-ignore lint/correctness/useExhaustiveDependencies: each draw without keys needs a timer
	useEffect(() => {
		if (isAnswerable || inSightSince === Number.POSITIVE_INFINITY) {
			return undefined;
		}

		const timer = setTimeout(redraw, Math.max(0, until()) + 1);
		return () => clearTimeout(timer);
	}, [panel, typedAt, inSightSince, isAnswerable, draws]);
	return isAnswerable;
}
