import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import {countAttempt} from '../accounts/attempts.ts';
import {type BrowserSession, holdSession} from '../accounts/browser-session.ts';
import {parseUserCode} from '../accounts/user-code.ts';
import type {ServerRoute} from '../kit/route.ts';
import type {DataAccess} from '../kit/services.ts';
import {field, timeOf} from './markup.ts';
import {type Failure, redirect, respond, tooManyAttempts} from './page.ts';
import {type UserVisit, userPages} from './page-route.ts';

/** The pages on which a user authorizes a device: code, request, decision (RFC 8628, section 3.3). */
export function devicePages(services: AccountServices): readonly ServerRoute[] {
	return userPages(services, [
		{
			path: '/device',
			// A code in the URL only fills in the field: the user must still compare it (RFC 8628, section 5.4).
			show: visit => codePage(visit, {typed: parseUserCode(visit.url.searchParams.get('user_code') ?? '') ?? ''}),
			async submit(visit, form) {
				const login = await lookUp(visit, form, 'approved');
				return login instanceof Response ? login : await approvalPage(visit, login);
			},
		},
		{
			path: '/device/decision',
			async submit(visit, form) {
				const decision = form.get('decision') === 'approve' ? 'approved' : 'denied';
				const login = await lookUp(visit, form, decision);
				if (login instanceof Response) {
					return login;
				}

				switch (await decideLogin(services, login, {decision, session: visit.session})) {
					case 'decided':
						// A page of its own: a reload of it sends nothing again.
						return redirect(donePath(decision));
					case 'late':
						return await unknownCode(visit, login.userCode);
					case 'logged-out':
						return redirect(`/device?user_code=${login.userCode}`);
				}
			},
		},
		...(['approved', 'denied'] as const).map(decision => ({
			path: donePath(decision),
			show: (visit: UserVisit) => donePage(visit, decision),
		})),
	]);
}

const donePath = (decision: Decision['decision']) => `/device/${decision}`;

/**
 * Returns the login that a form's code belongs to, or the page that shows the error. A form that the browser sends again, after
 * the user decided like that, leads to the page that says so.
 */
async function lookUp(
	visit: UserVisit,
	form: URLSearchParams,
	decision: Decision['decision'],
): Promise<WaitingLogin | Response> {
	const typed = form.get('user_code') ?? '';
	const seconds = await countAttempt(visit.services, 'user-code', visit.session.account.id);
	if (seconds !== undefined) {
		return await codePage(visit, {typed, ...tooManyAttempts(seconds)});
	}

	const login = await findLogin(visit.services, typed);
	if (login) {
		return login;
	}

	return (await hasDecided(visit, typed, decision)) ? redirect(donePath(decision)) : await unknownCode(visit, typed);
}

/** Returns whether the user has decided like that about the login of a code. */
async function hasDecided(
	{services: {database}, session}: UserVisit,
	typed: string,
	decision: Decision['decision'],
): Promise<boolean> {
	const statuses = decision === 'approved' ? (['approved', 'consumed'] as const) : (['denied'] as const);
	const decided = await database
		.selectFrom('device_authorizations')
		.select('id')
		.where('user_code', '=', parseUserCode(typed) ?? '')
		.where('user_id', '=', session.account.id)
		.where('status', 'in', statuses)
		.executeTakeFirst();
	return decided !== undefined;
}

function unknownCode(visit: UserVisit, typed: string): Promise<Response> {
	const problem = 'That code is wrong or has expired. Check your terminal.';
	return codePage(visit, {typed, status: 400, problem});
}

function codePage(
	{token, header}: UserVisit,
	{typed, ...failure}: Failure & {readonly typed: string},
): Promise<Response> {
	return respond(
		{
			title: 'Authorize a device',
			...failure,
			body: html`<form method="post" action="/device">${token}
${field({
	name: 'user_code',
	label: 'Code shown in your terminal',
	autocomplete: 'off',
	value: typed.slice(0, 64),
	autofocus: true,
	code: true,
	invalid: Boolean(failure.problem),
	hint: 'Enter the code shown in your terminal, e.g. WDJB-MJHT.',
})}
<button class="primary">Continue</button>
</form>`,
		},
		header,
	);
}

function approvalPage({token, header, session, visitor}: UserVisit, login: WaitingLogin): Promise<Response> {
	return respond(
		{
			title: 'Authorize this device?',
			body: html`<dl>
<dt>Code</dt><dd><span class="code">${login.userCode}</span></dd>
<dt>App</dt><dd>${login.program}</dd>
${login.address ? html`<dt>Requested from</dt><dd>${login.address}</dd>` : ''}
<dt>Requested at</dt><dd>${timeOf(login.createdAt)}</dd>
<dt>Server</dt><dd>${visitor.server}</dd>
<dt>Signed in as</dt><dd>${session.account.email}</dd>
<dt>Access</dt><dd>Everything that you can do through this server’s API. Access ends when the device logs out, when you
end its session in your account, or after 30 days without use.</dd>
</dl>
<p><strong>Approve only a login that you started yourself, just now.</strong> Anyone who sends you a code wants access to your account.</p>
<form method="post" action="/device/decision" class="row">${token}
<input type="hidden" name="user_code" value="${login.userCode}">
<button name="decision" value="deny">Deny</button>
<button name="decision" value="approve" class="primary">Approve</button>
</form>`,
		},
		header,
	);
}

function donePage({header}: UserVisit, decision: 'approved' | 'denied'): Promise<Response> {
	const isApproved = decision === 'approved';
	return respond(
		{
			title: isApproved ? 'Approved' : 'Denied',
			body: isApproved
				? html`<p role="status">Your terminal logs in within a few seconds. You can close this page.</p>`
				: html`<p role="status">The device has no access. You can close this page.</p>`,
		},
		header,
	);
}

/** A device login that waits for the user's decision. */
type WaitingLogin = {
	readonly id: string;
	readonly userCode: string;
	/** The name that the program claims; untrusted. */
	readonly program: string;
	/** The client address; undefined if unknown. */
	readonly address: string | undefined;
	/** ISO 8601 in UTC. */
	readonly createdAt: string;
};

/** Returns the login that waits for a code, however it is typed; undefined if the code is wrong or has expired. */
export async function findLogin({database, now}: DataAccess, typed: string): Promise<WaitingLogin | undefined> {
	const userCode = parseUserCode(typed);
	if (!userCode) {
		return undefined;
	}

	const found = await database
		.selectFrom('device_authorizations')
		.select(['id', 'requested_from', 'requested_address', 'created_at'])
		.where('user_code', '=', userCode)
		.where('status', '=', 'pending')
		.where('expires_at', '>', now().toISOString())
		.executeTakeFirst();
	if (!found) {
		return undefined;
	}

	const {id, requested_from: program, requested_address: address, created_at: createdAt} = found;
	return {id, userCode, program: program ?? 'unknown', address: address ?? undefined, createdAt};
}

type Decision = {
	readonly decision: 'approved' | 'denied';
	/** The browser session of the user who decides. */
	readonly session: Pick<BrowserSession, 'id' | 'account' | 'apiKeyId' | 'providerSession'>;
};

/**
 * Decides a login once. It is `late` if another request was faster, or the login has expired. A session that has ended meanwhile
 * decides nothing more (SAFETY 26).
 */
export async function decideLogin(
	{database, now}: DataAccess,
	{id}: Pick<WaitingLogin, 'id'>,
	{decision, session}: Decision,
): Promise<'decided' | 'late' | 'logged-out'> {
	const at = now().toISOString();
	const {account, apiKeyId, providerSession} = session;
	return await database.transaction().execute(async transaction => {
		if (!(await holdSession(transaction, session, at))) {
			return 'logged-out';
		}

		const {numUpdatedRows} = await transaction
			.updateTable('device_authorizations')
			.set({status: decision, user_id: account.id, api_key_id: apiKeyId, provider_session: providerSession})
			.where('id', '=', id)
			.where('status', '=', 'pending')
			.where('expires_at', '>', at)
			.executeTakeFirstOrThrow();
		return numUpdatedRows > 0n ? 'decided' : 'late';
	});
}
