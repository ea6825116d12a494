import {formatDuration} from '../../core/format.ts';
import type {RunEndReason} from '../../core/session/event.ts';
import {type Transcript, waitingNotice} from '../../core/session/transcript.ts';
import type {AppState} from '../../store/store.ts';

/** What the app does, for somebody who sees only its title. */
export type Activity = 'idle' | 'working' | 'needs you';

/**
 * Returns what the app does: a question comes before the run that asks it, also while another panel hides it, and a login that
 * the user carries out elsewhere waits for them unless a run works.
 */
export function activityOf({
	manner,
	panel,
	hiddenQuestions,
	transcript,
	busy,
}: Pick<AppState, 'manner' | 'panel' | 'hiddenQuestions' | 'transcript' | 'busy'>): Activity {
	const isAsked =
		manner === 'asks' || hiddenQuestions > 0 || (transcript.run ? manner === 'follows' : panel?.kind === 'device');
	if (isAsked) {
		return 'needs you';
	}

	return transcript.run || (busy && !manner) ? 'working' : 'idle';
}

/** What a program tells its terminal that it does (OSC 7501): why it waits for the user, or how its last run ended. */
export type ProgramStatus =
	| 'idle'
	| 'working'
	| 'done'
	| 'error'
	| `blocked:kind=${'permission' | 'question' | 'auth'}`;

/** Returns the status of the app. `ended` is how the last run ended, until the user acts; undefined for none. */
export function statusOf(activity: Activity, panel: AppState['panel'], ended: RunEndReason | undefined): ProgramStatus {
	switch (activity) {
		case 'working':
			return 'working';
		case 'needs you':
			return `blocked:kind=${panel?.kind === 'device' ? 'auth' : panel?.kind === 'confirm' ? 'permission' : 'question'}`;
		case 'idle':
			return ended === undefined || ended === 'interrupted' ? 'idle' : ended === 'done' ? 'done' : 'error';
		default:
			return activity satisfies never;
	}
}

/** Returns the title of the window. The state comes first, because tabs are narrow; `name` is untrusted. */
export function titleOf(activity: Activity, name: string): string {
	return [...(activity === 'idle' ? [] : [activity]), ...(name.trim() ? [name] : []), 'service'].join(' · ');
}

const ends: Readonly<Record<RunEndReason, string>> = {
	done: 'Done',
	error: 'Failed',
	budget: 'Stopped at a limit',
	incomplete: 'Ended without a whole answer',
	interrupted: 'Interrupted',
};

/** Returns what a notification says about a run that ended. `name` is the session's, '' for none; untrusted. */
export function endNotice(reason: RunEndReason, durationMs: number, name: string): string {
	return withName(`${ends[reason]} after ${formatDuration(durationMs)}`, name);
}

/** Returns what a notification says while a question waits. It names no file and no command. */
export function waitNotice(name: string): string {
	return withName('Waiting for your answer', name);
}

function withName(text: string, name: string): string {
	return name.trim() ? `${text} · ${name}` : text;
}

/** True if the model is to write next: no call and no command is open. */
export function awaitsModel({open}: Transcript): boolean {
	return open.every(({kind}) => kind !== 'tool' && kind !== 'command');
}

/** Returns when the wait for the next attempt ends, in milliseconds since 1970; 0 if none was the last thing to happen. */
export function retryTime(transcript: Transcript): number {
	return waitingNotice(transcript)?.until ?? 0;
}
