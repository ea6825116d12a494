import type {BackgroundSession} from '../session/conversations.ts';
import type {Notice} from './notifier.ts';

/** Returns what the user reads when a session in the background waits for them, or has ended. */
export function backgroundNotice({id, about, state}: BackgroundSession): Notice {
	const short = id.slice(0, 8);
	const what = state === 'waiting' ? 'waits for your answer' : 'has ended its run';
	return {
		alert: `Background session ${short} ${what}`,
		text: `Background session ${short} ${what}${about ? `: ${about}` : '.'}`,
		hint: `Show it: \`resume ${short}\``,
	};
}
