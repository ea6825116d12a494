import type {ChangeStep} from './changes.ts';

/**
 * Returns the steps that /undo takes back: those after the last message whose files were changed. None if there are none. Asks about
 * no step of an earlier message, of which a long session has many.
 */
export async function undoOf(
	steps: readonly ChangeStep[],
	changedFiles: (step: ChangeStep) => Promise<boolean>,
): Promise<ReadonlySet<string>> {
	const inEffect = steps.filter(step => step.by === 'agent' && step.undoneBy === undefined);
	for (const last of inEffect.toReversed()) {
		if (await changedFiles(last)) {
			return new Set(inEffect.filter(({message}) => message === last.message).map(({id}) => id));
		}
	}

	return new Set();
}

/** Returns the steps of these messages that are in effect. */
export function stepsOf(steps: readonly ChangeStep[], messages: ReadonlySet<string>): ReadonlySet<string> {
	const own = steps.filter(step => step.by === 'agent' && step.undoneBy === undefined && messages.has(step.message));
	return new Set(own.map(({id}) => id));
}
