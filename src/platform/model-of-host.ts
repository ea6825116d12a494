import {AppError} from '../core/error.ts';

/** Asks the user to select one of these models, each `provider/model-name`; undefined where they cancel. */
export type ChooseModel = (ids: readonly string[]) => Promise<string | undefined>;

const mostNamed = 8;

/**
 * Returns the model to begin with where none was chosen: the only one that the user's own hosts list, or the one that the
 * user selects. Throws `AppError("usage")` where there is none, or several and nobody to ask.
 */
export async function modelOfHost(ids: readonly string[], choose: ChooseModel | undefined): Promise<string> {
	const [first] = ids;
	const id = first !== undefined && ids.length > 1 ? await choose?.(ids) : first;
	if (id !== undefined) {
		return id;
	}

	if (ids.length < 2) {
		throw new AppError('usage', 'No model selected, and no provider lists any.', {
			hint: 'Select one: `model use`, or --model provider/model-name',
		});
	}

	const more = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : '';
	throw new AppError('usage', `No model selected. Your provider has ${ids.slice(0, mostNamed).join(', ')}${more}.`, {
		hint: `Select one: \`model use ${first}\`, or --model ${first}.`,
	});
}
