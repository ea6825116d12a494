import type {Asker} from '../agent/model-access.ts';
import {effortOf} from '../store/connection-slice.ts';
import type {AppState} from '../store/store.ts';

/** Returns who asks a model: the session that a store holds, in front or in the background. */
export function askerOf(state: AppState): Asker {
	return {
		session: state.transcript.session,
		beganAt: state.transcript.beganAt,
		isPlanning: state.approvalMode === 'plan',
		effortOf: model => effortOf(state, model),
	};
}
