import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import {busySeconds, logInWithPassword, setPassword} from '../accounts/browser-login.ts';
import {closeOtherSessions} from '../accounts/browser-session.ts';
import {isBusyHashing} from '../accounts/password.ts';
import {choosePassword, findPasswordCode} from '../accounts/password-code.ts';
import {networkOf} from '../kit/client-address.ts';
import type {ServerRoute} from '../kit/route.ts';
import {field} from './markup.ts';
import {faultOfPassword, type NewPasswordField, newPasswordFields} from './new-password.ts';
import {type Failure, redirect, respond, tooManyAttempts} from './page.ts';
import {publicPages, type UserVisit, userPages, type Visit} from './page-route.ts';

/** The pages that set a password with an administrator's code, or change it with the current one. */
export function passwordPages(services: AccountServices): readonly ServerRoute[] {
	return [
		...publicPages(services, [{path: '/password', show: visit => choicePage(visit), submit: submitChoice}]),
		...userPages(services, [
			{
				path: '/account/password',
				// Without a password, the session was opened with nothing but an API key.
				show: async visit => (hasPassword(visit) ? await changePage(visit) : redirect('/password')),
				submit: async (visit, form) => (hasPassword(visit) ? await submitChange(visit, form) : redirect('/password')),
			},
		]),
	];
}

type FormFailure = Failure & {
	readonly invalid?: 'code' | 'current_password' | NewPasswordField;
	/** A valid code, so that the user needn't enter it again. */
	readonly code?: string;
};

function choicePage({token}: Visit, {invalid, code, ...failure}: FormFailure = {}): Promise<Response> {
	return respond({
		title: 'Choose a password',
		...failure,
		body: html`<form method="post" action="/password">${token}
${field({
	name: 'code',
	label: 'Password code',
	type: 'password',
	autocomplete: 'off',
	...(code && {value: code}),
	autofocus: !invalid || invalid === 'code',
	invalid: invalid === 'code',
	hint: 'Starts with svp_. Ask your server’s administrator to run “service serve password” with your e-mail address.',
})}
${newPasswordFields(invalid)}
<button class="primary">Save</button>
</form>
<p><a href="/sign-in">Log in</a></p>`,
	});
}

async function submitChoice(visit: Visit, form: URLSearchParams): Promise<Response> {
	const {services} = visit;
	const typed = form.get('code') ?? '';
	const code = await findPasswordCode(services, typed);
	if (!code) {
		return await refuseCode(visit);
	}

	const password = form.get('password') ?? '';
	const failure = faultOfPassword(password, form.get('repeated') ?? '', code.email);
	if (failure) {
		return await choicePage(visit, {status: 400, code: typed, ...failure});
	}

	if (isBusyHashing()) {
		return await choicePage(visit, {code: typed, ...tooManyAttempts(busySeconds)});
	}

	return (await choosePassword(services, code, password))
		? await respond({
				title: 'Your password is saved',
				body: html`<p role="status">Saved for ${code.email}. All browser sessions were logged out.</p>
<p><a href="/sign-in">Log in</a></p>`,
			})
		: await refuseCode(visit);
}

function refuseCode(visit: Visit): Promise<Response> {
	const problem = 'That code is wrong, already used, or older than 3 days.';
	return choicePage(visit, {status: 400, problem, invalid: 'code'});
}

function hasPassword({session}: UserVisit): boolean {
	return session.account.password_hash !== null;
}

function changePage({session: {account}, header, token}: UserVisit, {invalid, ...failure}: FormFailure = {}) {
	return respond(
		{
			title: 'Change your password',
			...failure,
			body: html`<form method="post" action="/account/password">${token}
<input type="text" hidden name="username" autocomplete="username" value="${account.email}">
${field({
	name: 'current_password',
	label: 'Current password',
	type: 'password',
	autocomplete: 'current-password',
	autofocus: !invalid || invalid === 'current_password',
	invalid: invalid === 'current_password',
})}
${newPasswordFields(invalid)}
<button class="primary">Save</button>
</form>
<p><a href="/account">Back to your account</a></p>`,
		},
		header,
	);
}

async function submitChange(visit: UserVisit, form: URLSearchParams): Promise<Response> {
	const {services, session, header} = visit;
	const {account} = session;
	const password = form.get('password') ?? '';
	const failure = faultOfPassword(password, form.get('repeated') ?? '', account.email);
	if (failure) {
		return await changePage(visit, {status: 400, ...failure});
	}

	// An open session or a stolen API key must not be enough to take over the account.
	const current = await logInWithPassword(services, {
		email: account.email,
		password: form.get('current_password') ?? '',
		network: networkOf(visit.request, services),
	});
	if (current.kind === 'wait') {
		return await changePage(visit, tooManyAttempts(current.seconds));
	}

	if (current.kind === 'wrong') {
		const problem = 'The current password is wrong.';
		return await changePage(visit, {status: 400, problem, invalid: 'current_password'});
	}

	await setPassword(services, account.id, password);
	await closeOtherSessions(services, session);
	return await respond(
		{
			title: 'Your password is saved',
			body: html`<p role="status">Other browser sessions were logged out.</p>
<p><a href="/account">Back to your account</a></p>`,
		},
		header,
	);
}
