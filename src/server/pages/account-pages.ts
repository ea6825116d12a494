import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import {revokeFamily} from '../accounts/oauth/tokens.ts';
import {isConnected} from '../accounts/oidc/oidc-logins.ts';
import type {ServerRoute} from '../kit/route.ts';
import {basePathOf} from '../kit/server-url.ts';
import type {DataAccess} from '../kit/services.ts';
import {type Markup, timeOf} from './markup.ts';
import {oidcLink} from './oidc-pages.ts';
import {redirect, respond} from './page.ts';
import {type UserVisit, userPages} from './page-route.ts';

/** The account page, with links to everything that users manage themselves. */
export function accountPages(services: AccountServices): readonly ServerRoute[] {
	return [
		{
			method: 'GET',
			path: '/',
			auth: 'none',
			handle: () => redirect(`${basePathOf(services.publicUrl())}/account`),
		},
		...userPages(services, [{path: '/account', show: overview}]),
	];
}

async function overview({services, session: {account}, header}: UserVisit): Promise<Response> {
	const {oidc} = services;
	const connectable = oidc !== undefined && !(await isConnected(services, oidc, account.id));
	return await respond(
		{
			title: 'Your account',
			body: html`<ul>
<li><a href="/device">Authorize a device</a> with the code that “service login” shows</li>
<li><a href="/account/logins">Active sessions</a></li>
<li>${
				account.password_hash
					? html`<a href="/account/password">Change your password</a>`
					: html`<a href="/password">Choose a password</a>`
			}</li>
<li><a href="/account/second-factor">Second factor</a>: ${account.totp_secret ? 'on' : 'off'}</li>
</ul>
${connectable ? oidcLink(services, '/account', 'Connect') : ''}`,
		},
		header,
	);
}

const path = '/account/logins';

/** The page that lists a user's active sessions on devices and ends them. */
export function activeSessionPages(services: AccountServices): readonly ServerRoute[] {
	return userPages(services, [
		{path, show: listPage},
		{
			path: `${path}/end`,
			async submit({session}, form) {
				await endLogin(services, {id: form.get('login') ?? '', userId: session.account.id});
				return redirect(path);
			},
		},
	]);
}

async function listPage(visit: UserVisit): Promise<Response> {
	const {services, session, header} = visit;
	const logins = await listLogins(services, session.account.id);
	return await respond(
		{
			title: 'Active sessions',
			body: html`${
				logins.length > 0
					? html`<ul>${logins.map(login => item(visit, login))}</ul>`
					: html`<p>No active sessions. Log in from a terminal with “service login”.</p>`
			}
<p>API keys are not listed here. Use “service api-key list” in a terminal.</p>
<p><a href="/account">Back to your account</a></p>`,
		},
		header,
	);
}

function item({token}: UserVisit, {id, program, startedAt, refreshedAt}: ActiveLogin): Markup {
	return html`<li id="${id}"><strong>${program}</strong>, since ${timeOf(startedAt)}, last renewed ${timeOf(refreshedAt)}
<form method="post" action="${path}/end">${token}
<input type="hidden" name="login" value="${id}"><button aria-describedby="${id}">End session</button>
</form></li>`;
}

/** A user's login on a device. */
type ActiveLogin = {
	readonly id: string;
	/** The name that the program claims; untrusted. */
	readonly program: string;
	/** When it logged in and when it last refreshed its tokens, ISO 8601 in UTC. */
	readonly startedAt: string;
	readonly refreshedAt: string;
};

/** Returns the active logins of a user, the latest first. */
async function listLogins({database, now}: DataAccess, userId: string): Promise<readonly ActiveLogin[]> {
	const rows = await database
		.selectFrom('tokens')
		.select(['family_id', 'program'])
		.select(({fn}) => [fn.min('created_at').as('started_at'), fn.max('created_at').as('refreshed_at')])
		.where('user_id', '=', userId)
		.where('kind', '=', 'refresh')
		.where('revoked_at', 'is', null)
		.where('expires_at', '>', now().toISOString())
		.groupBy(['family_id', 'program'])
		.orderBy('refreshed_at', 'desc')
		.orderBy('family_id')
		.execute();
	return rows.map(({family_id: id, program, started_at: startedAt, refreshed_at: refreshedAt}) => ({
		id,
		program: program ?? 'unknown',
		startedAt,
		refreshedAt,
	}));
}

/** Ends a user's login with all its tokens. Ignores other users' logins and ended ones. */
export async function endLogin(
	{database, now}: DataAccess,
	{id, userId}: {readonly id: string; readonly userId: string},
) {
	await database.transaction().execute(async transaction => {
		const owned = await transaction
			.selectFrom('tokens')
			.select('id')
			.where('family_id', '=', id)
			.where('user_id', '=', userId)
			.executeTakeFirst();
		if (owned) {
			await revokeFamily(transaction, now(), id);
		}
	});
}
