import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {identityOf} from '../../../storage/lock-owner.ts';
import type {SupervisorPlan} from './supervisor-plan.ts';

type Actions = {
	/** Pauses it. Returns whether no process can run. */
	readonly pause: () => boolean;
	readonly stop: (why: string) => void;
	/** Called if its folder was removed, so there is nothing left to supervise. */
	readonly abandon: () => void;
};

const intervalMs = 1000;

/** Attempts to pause a sandbox before it is ended. */
const maxPauses = 10;

/** Checks every second whether the deadline of a sandbox has passed, or the process that owns it has ended. */
export function watchDeadline(
	{folder, owner}: Pick<SupervisorPlan, 'folder' | 'owner'>,
	actions: Actions,
): NodeJS.Timeout {
	let pauses = 0;
	return setInterval(() => {
		if (owner && identityOf(owner.pid).started !== owner.started) {
			actions.stop('its server has ended');
		}

		try {
			const {at, action} = JSON.parse(readFileSync(join(folder, 'deadline.json'), 'utf8'));
			if (typeof at === 'number' && Date.now() >= at) {
				if (action === 'pause') {
					pauses = actions.pause() ? 0 : pauses + 1;
					if (pauses >= maxPauses) {
						actions.stop('it does not stay paused');
					}
				} else {
					actions.stop('its time limit was reached');
				}
			}
		} catch {
			if (!existsSync(folder)) {
				actions.abandon();
			}
		}
	}, intervalMs);
}
