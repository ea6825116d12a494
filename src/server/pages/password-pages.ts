import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import {busySeconds, logInWithPassword, setPassword} from '../accounts/browser-login.ts';
import {closeOtherSessions} from '../accounts/browser-session.ts';
import {isBusyHashing, passwordLength} from '../accounts/password.ts';
import {choosePassword, findPasswordCode} from '../accounts/password-code.ts';
import {networkOf} from '../kit/client-address.ts';
import type {Route} from '../kit/route.ts';
import {field, type Markup, waitText} from './markup.ts';
import {redirect, respond} from './page.ts';
import {openPages, type SignedVisit, signedPages, type Visit} from './page-route.ts';

/** The pages that set a password with an administrator's code, or change it with the current one. */
export function passwordPages(services: AccountServices): readonly Route[] {
	return [
		...openPages(services, [{path: '/password', show: visit => choicePage(visit), take: takeChoice}]),
		...signedPages(services, [
			{
				path: '/account/password',
				// Without a password, the session was opened with nothing but an API key.
				show: async visit => (hasPassword(visit) ? await changePage(visit) : redirect('/password')),
				take: async (visit, form) => (hasPassword(visit) ? await takeChange(visit, form) : redirect('/password')),
			},
		]),
	];
}

type Wrong = 'code' | 'current_password' | 'password' | 'repeated';

type Failure = {
	readonly status?: number;
	readonly problem?: string;
	readonly retryAfter?: number;
	readonly wrong?: Wrong;
	/** A valid code, so that the user needn't enter it again. */
	readonly code?: string;
};

function choicePage({token}: Visit, {wrong, code, ...failure}: Failure = {}): Promise<Response> {
	return respond({
		title: 'Choose a password',
		...failure,
		body: html`<form method="post" action="/password">${token}
${field({
	name: 'code',
	label: 'Password code',
	type: 'password',
	fills: 'off',
	...(code && {value: code}),
	first: !wrong || wrong === 'code',
	wrong: wrong === 'code',
	hint: 'Starts with svp_. Ask your server’s administrator to run “service serve password” with your e-mail address.',
})}
${newPasswordFields(wrong)}
<button class="primary">Save</button>
</form>
<p><a href="/sign-in">Log in</a></p>`,
	});
}

async function takeChoice(visit: Visit, form: URLSearchParams): Promise<Response> {
	const {services} = visit;
	const typed = form.get('code') ?? '';
	const code = await findPasswordCode(services, typed);
	if (!code) {
		return await refuseCode(visit);
	}

	const password = form.get('password') ?? '';
	const failure = faultOf(password, form.get('repeated') ?? '', code.email);
	if (failure) {
		return await choicePage(visit, {status: 400, code: typed, ...failure});
	}

	if (isBusyHashing()) {
		return await choicePage(visit, {code: typed, ...tooMany(busySeconds)});
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
	return choicePage(visit, {status: 400, problem, wrong: 'code'});
}

function hasPassword({session}: SignedVisit): boolean {
	return session.account.password_hash !== null;
}

function changePage({session: {account}, signed, token}: SignedVisit, {wrong, ...failure}: Failure = {}) {
	return respond(
		{
			title: 'Change your password',
			...failure,
			body: html`<form method="post" action="/account/password">${token}
<input type="hidden" name="username" autocomplete="username" value="${account.email}">
${field({
	name: 'current_password',
	label: 'Current password',
	type: 'password',
	fills: 'current-password',
	first: !wrong || wrong === 'current_password',
	wrong: wrong === 'current_password',
})}
${newPasswordFields(wrong)}
<button class="primary">Save</button>
</form>
<p><a href="/account">Back to your account</a></p>`,
		},
		signed,
	);
}

async function takeChange(visit: SignedVisit, form: URLSearchParams): Promise<Response> {
	const {services, session, signed} = visit;
	const {account} = session;
	const password = form.get('password') ?? '';
	const failure = faultOf(password, form.get('repeated') ?? '', account.email);
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
		return await changePage(visit, tooMany(current.seconds));
	}

	if (current.kind === 'wrong') {
		const problem = 'The current password is wrong.';
		return await changePage(visit, {status: 400, problem, wrong: 'current_password'});
	}

	await setPassword(services, account.id, password);
	await closeOtherSessions(services, session);
	return await respond(
		{
			title: 'Your password is saved',
			body: html`<p role="status">Other browser sessions were logged out.</p>
<p><a href="/account">Back to your account</a></p>`,
		},
		signed,
	);
}

function newPasswordFields(wrong: Wrong | undefined): Markup {
	const fieldOf = (name: 'password' | 'repeated', label: string, hint?: string) =>
		field({
			name,
			label,
			type: 'password',
			fills: 'new-password',
			first: wrong === name,
			wrong: wrong === name,
			...(hint && {hint}),
		});
	const hint = `At least ${passwordLength.min} characters. A few random words work well.`;
	return html`${fieldOf('password', 'New password', hint)}
${fieldOf('repeated', 'Repeat new password')}`;
}

function faultOf(password: string, repeated: string, email: string): Failure | undefined {
	const {min, max} = passwordLength;
	const {length} = [...password];
	if (length < min || length > max) {
		return {problem: `A password needs ${min} to ${max} characters; this one has ${length}.`, wrong: 'password'};
	}

	if (password.toLowerCase() === email) {
		return {problem: 'The password must differ from your e-mail address.', wrong: 'password'};
	}

	return password === repeated ? undefined : {problem: 'The passwords don’t match.', wrong: 'repeated'};
}

function tooMany(seconds: number): Failure {
	return {status: 429, problem: `Too many attempts. Try again in ${waitText(seconds)}.`, retryAfter: seconds};
}
