import {html} from 'hono/html';
import {passwordLength} from '../accounts/password.ts';
import {field, type Markup} from './markup.ts';
import type {Failure} from './page.ts';

export type NewPasswordField = 'password' | 'repeated';

/** Returns the fields of a new password; the invalid one has the focus. */
export function newPasswordFields(invalid: string | undefined): Markup {
	const fieldOf = (name: 'password' | 'repeated', label: string, hint?: string) =>
		field({
			name,
			label,
			type: 'password',
			autocomplete: 'new-password',
			autofocus: invalid === name,
			invalid: invalid === name,
			...(hint && {hint}),
		});
	const hint = `At least ${passwordLength.min} characters. A few random words work well.`;
	return html`${fieldOf('password', 'New password', hint)}
${fieldOf('repeated', 'Repeat new password')}`;
}

/** Returns why a form with a new password is refused; undefined if it is accepted. */
export function faultOfPassword(
	password: string,
	repeated: string,
	email: string,
): (Failure & {readonly invalid: NewPasswordField}) | undefined {
	const {min, max} = passwordLength;
	const {length} = [...password];
	if (length < min || length > max) {
		return {problem: `A password needs ${min} to ${max} characters; this one has ${length}.`, invalid: 'password'};
	}

	if (password.toLowerCase() === email) {
		return {problem: 'The password must differ from your e-mail address.', invalid: 'password'};
	}

	return password === repeated ? undefined : {problem: 'The passwords don’t match.', invalid: 'repeated'};
}
