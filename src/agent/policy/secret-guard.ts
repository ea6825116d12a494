import {AppError} from '../../core/error.ts';
import type {ToolContext} from '../../core/session/tool.ts';
import {pathText} from '../paths/path-text.ts';
import type {Guard} from './bounds.ts';
import {refusal} from './rules/rule.ts';
import {isSecretFile} from './secret-files.ts';

/** Returns a guard that asks the user before a secret file is opened. It throws `AppError("failed")` if they refuse. */
export function askForSecrets({approve}: ToolContext): Guard {
	return async ({real, shown}) => {
		if (!isSecretFile(real)) {
			return;
		}

		const name = pathText(shown);
		const summary = `Show ${name} to the model? Its name suggests secrets.`;
		const permission = await approve({act: {kind: 'read-secret', path: real}, summary, subject: `read ${real}`});
		if (!permission.allowed) {
			throw refusal(`The user did not allow reading “${name}”, whose name suggests secrets.`, permission.reason);
		}
	};
}

/** Throws `AppError("failed")` for a secret file: it can be opened by its own path only. */
export const withoutSecretFiles: Guard = async ({real, shown}) => {
	if (isSecretFile(real)) {
		throw new AppError('failed', `The name of “${pathText(shown)}” suggests secrets.`);
	}
};
