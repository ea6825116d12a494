import {formatAmount} from '../core/format.ts';
import type {AppState} from '../store/store.ts';

/** Returns a warning about what ends with the app: runs in the background, and sandboxes of its own server. '' for nothing. */
export function endsWithApp({ownSandboxes, background}: AppState): string {
	const runs = background.filter(({state}) => state !== 'ended').length;
	const ending = [
		...(runs > 0 ? [formatAmount(runs, 'background run')] : []),
		...(ownSandboxes > 0 ? [ownSandboxes === 1 ? '1 running sandbox' : `${ownSandboxes} running sandboxes`] : []),
	];
	return ending.length === 0 ? '' : `${ending.join(' and ')} will end with the app.`;
}
