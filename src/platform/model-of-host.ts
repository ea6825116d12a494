import {AppError} from '../core/error.ts';

/** Has the user select one of these names; undefined where they cancel. */
export type ChooseModel = (names: readonly string[]) => Promise<string | undefined>;

const mostNamed = 8;

/**
 * The model to begin with where none was chosen: the only one that the user's own host lists, or the one that they select.
 * Throws `AppError("usage")` where there is none, or several and nobody to ask.
 */
export async function modelOfHost(names: readonly string[], choose: ChooseModel | undefined): Promise<string> {
	const [first] = names;
	const name = first !== undefined && names.length > 1 ? await choose?.(names) : first;
	if (name !== undefined) {
		return `custom/${name}`;
	}

	if (names.length < 2) {
		throw new AppError('usage', 'No model is selected, and no host lists any.', {
			hint: 'Select one: `model use`, or --model provider/model-name.',
		});
	}

	const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
	throw new AppError('usage', `No model is selected. Custom has ${names.slice(0, mostNamed).join(', ')}${more}.`, {
		hint: `Select one: \`model use custom/${first}\`, or --model custom/${first}.`,
	});
}
