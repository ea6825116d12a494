import {html} from 'hono/html';
import {closeOtherSessions} from '../accounts/browser-session.ts';
import {passwordLength} from '../accounts/password.ts';
import {setPassword, signInWithPassword} from '../accounts/sign-in.ts';
import {networkOf} from '../peer.ts';
import type {Route} from '../route.ts';
import type {Services} from '../services.ts';
import {field, waitText} from './markup.ts';
import {redirect, respond} from './page.ts';
import {type SignedVisit, signedPages} from './page-route.ts';

/** What somebody can look after by himself: his password, and the way to the other pages. */
export function accountPages(services: Services): readonly Route[] {
	return [
		{method: 'GET', path: '/', auth: 'none', handle: () => redirect('/account')},
		...signedPages(services, [
			{path: '/account', show: overview},
			{path: '/account/password', show: visit => passwordPage(visit), take: takePassword},
		]),
	];
}

function overview({session: {account}, signed}: SignedVisit): Promise<Response> {
	return respond(
		{
			title: 'Your account',
			body: html`<ul>
<li><a href="/device">Let a terminal in</a> with the code that “service login” shows</li>
<li><a href="/account/logins">Terminals that are in</a></li>
<li><a href="/account/password">${account.password_hash ? 'Change your password' : 'Choose a password'}</a></li>
<li><a href="/account/second-factor">Second factor</a>: ${account.totp_secret ? 'on' : 'off'}</li>
</ul>`,
		},
		signed,
	);
}

type Failure = {
	readonly status?: number;
	readonly problem?: string;
	readonly retryAfter?: number;
	readonly wrong?: 'current_password' | 'password' | 'repeated';
};

function passwordPage({session: {account}, signed, token}: SignedVisit, {wrong, ...failure}: Failure = {}) {
	const {least} = passwordLength;
	const isChange = account.password_hash !== null;
	return respond(
		{
			title: isChange ? 'Change your password' : 'Choose a password',
			...failure,
			body: html`<form method="post" action="/account/password">${token}
<input type="hidden" name="username" autocomplete="username" value="${account.email}">
${
	isChange
		? field({
				name: 'current_password',
				label: 'Password until now',
				type: 'password',
				fills: 'current-password',
				first: !wrong || wrong === 'current_password',
				wrong: wrong === 'current_password',
			})
		: ''
}
${field({
	name: 'password',
	label: 'New password',
	type: 'password',
	fills: 'new-password',
	first: wrong ? wrong === 'password' : !isChange,
	wrong: wrong === 'password',
	hint: `At least ${least} characters; a few words make a good one.`,
})}
${field({
	name: 'repeated',
	label: 'New password, once more',
	type: 'password',
	fills: 'new-password',
	first: wrong === 'repeated',
	wrong: wrong === 'repeated',
})}
<button class="primary">Save</button>
</form>
<p><a href="/account">Back to your account</a></p>`,
		},
		signed,
	);
}

async function takePassword(visit: SignedVisit, form: URLSearchParams): Promise<Response> {
	const {services, session, signed} = visit;
	const {account} = session;
	const password = form.get('password') ?? '';
	const failure = faultOf(password, form.get('repeated') ?? '', account.email);
	if (failure) {
		return await passwordPage(visit, {status: 400, ...failure});
	}

	if (account.password_hash !== null) {
		// A session that was left open, or a stolen API key, must not be enough to take the account over.
		const current = await signInWithPassword(services, {
			email: account.email,
			password: form.get('current_password') ?? '',
			network: networkOf(visit.request, services),
		});
		if (current.kind === 'wait') {
			const problem = `Too many attempts. Try again in ${waitText(current.seconds)}.`;
			return await passwordPage(visit, {status: 429, problem, retryAfter: current.seconds});
		}

		if (current.kind === 'wrong') {
			const problem = 'The password until now is not right.';
			return await passwordPage(visit, {status: 400, problem, wrong: 'current_password'});
		}
	}

	await setPassword(services, account.id, password);
	await closeOtherSessions(services, session);
	return await respond(
		{
			title: 'Your password is saved',
			body: html`<p role="status">Sign in with it from now on. Other browsers were signed out.</p>
<p><a href="/account">Back to your account</a></p>`,
		},
		signed,
	);
}

function faultOf(password: string, repeated: string, email: string): Failure | undefined {
	const {least, most} = passwordLength;
	const {length} = [...password];
	if (length < least || length > most) {
		return {problem: `A password has ${least} to ${most} characters; this one has ${length}.`, wrong: 'password'};
	}

	if (password.toLowerCase() === email) {
		return {problem: 'Your e-mail address is not a password.', wrong: 'password'};
	}

	return password === repeated ? undefined : {problem: 'The two passwords differ.', wrong: 'repeated'};
}
