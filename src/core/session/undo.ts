import type {ChangeStep} from './changes.ts';

/** The files that each step changed, by the id of the step. */
type PathsOf = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the steps that /undo takes back: those after the last message whose files were changed. None if there are none. */
export function undoOf(steps: readonly ChangeStep[], paths: PathsOf): ReadonlySet<string> {
	const inEffect = steps.filter(step => step.by === 'agent' && step.undoneBy === undefined);
	const last = inEffect.findLast(({id}) => (paths.get(id)?.size ?? 0) > 0);
	return new Set(inEffect.filter(({message}) => message === last?.message).map(({id}) => id));
}

/** Returns the steps of these messages that are in effect. */
export function stepsOf(steps: readonly ChangeStep[], messages: ReadonlySet<string>): ReadonlySet<string> {
	const own = steps.filter(step => step.by === 'agent' && step.undoneBy === undefined && messages.has(step.message));
	return new Set(own.map(({id}) => id));
}
