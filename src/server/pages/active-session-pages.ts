import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import {endLogin, type Login, listLogins} from '../accounts/active-logins.ts';
import type {Route} from '../kit/route.ts';
import {type Markup, timeOf} from './markup.ts';
import {redirect, respond} from './page.ts';
import {type UserVisit, userPages} from './page-route.ts';

const path = '/account/logins';

/** The page that lists a user's active sessions on devices and ends them. */
export function activeSessionPages(services: AccountServices): readonly Route[] {
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

function item({token}: UserVisit, {id, program, startedAt, refreshedAt}: Login): Markup {
	return html`<li id="${id}"><strong>${program}</strong>, since ${timeOf(startedAt)}, last renewed ${timeOf(refreshedAt)}
<form method="post" action="${path}/end">${token}
<input type="hidden" name="login" value="${id}"><button aria-describedby="${id}">End session</button>
</form></li>`;
}
