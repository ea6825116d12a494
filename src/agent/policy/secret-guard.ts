import {AppError} from '../../core/error.ts';
import type {ToolContext} from '../../core/session/tool.ts';
import type {Guard} from '../tools/files/bounds.ts';
import {pathText} from '../tools/files/path-text.ts';
import {isSecretFile} from './secret-files.ts';

/** Lets a file that holds secrets by its name be opened only after the user allowed it. Throws `failed` otherwise. */
export function askForSecrets({approve}: Pick<ToolContext, 'approve'>): Guard {
	return async ({real, shown}) => {
		if (!isSecretFile(real)) {
			return;
		}

		const name = pathText(shown);
		const summary = `Show ${name} to the model? By its name it holds secrets.`;
		if (!(await approve({summary, subject: `read ${real}`}))) {
			throw new AppError('failed', `“${name}” holds secrets by its name, and the user did not allow reading it.`, {
				hint: 'Do without it, or tell the user what you need from it.',
			});
		}
	};
}

/** Throws `failed` for a file that holds secrets by its name: it is asked for by its own path, never among others. */
export const withoutSecretFiles: Guard = async ({real, shown}) => {
	if (isSecretFile(real)) {
		throw new AppError('failed', `“${pathText(shown)}” holds secrets by its name.`);
	}
};
