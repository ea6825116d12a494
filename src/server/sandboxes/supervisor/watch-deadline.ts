import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {identityOf} from '../../../storage/lock-owner.ts';
import type {SupervisorPlan} from './supervisor-plan.ts';

type Actions = {
	readonly pause: () => void;
	readonly stop: (why: string) => void;
	/** Its folder was removed: there is nothing left to supervise. */
	readonly abandon: () => void;
};

const intervalMs = 1000;

/** Looks every second whether the time of a sandbox is over, or the process that it belongs to is gone. */
export function watchDeadline({folder, owner}: Pick<SupervisorPlan, 'folder' | 'owner'>, actions: Actions): void {
	setInterval(() => {
		if (owner && identityOf(owner.pid).started !== owner.started) {
			actions.stop('its server is gone');
		}

		try {
			const {at, action} = JSON.parse(readFileSync(join(folder, 'deadline.json'), 'utf8'));
			if (typeof at === 'number' && Date.now() >= at) {
				if (action === 'pause') {
					actions.pause();
				} else {
					actions.stop('its time is over');
				}
			}
		} catch {
			if (!existsSync(folder)) {
				actions.abandon();
			}
		}
	}, intervalMs);
}
