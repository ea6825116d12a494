import type {AccountServices} from '../accounts/account-services.ts';
import type {ServerRoute} from '../kit/route.ts';
import {accountPages, activeSessionPages} from './account-pages.ts';
import {devicePages} from './device-pages.ts';
import {iconRoute} from './error-pages.ts';
import {invitationPages} from './invitation-pages.ts';
import {loginPages} from './login-pages.ts';
import {oidcPages} from './oidc-pages.ts';
import {passwordPages} from './password-pages.ts';
import {secondFactorPages} from './second-factor-pages.ts';

/** Creates the routes of all browser pages, which work without scripts. */
export function pageRoutes(services: AccountServices): readonly ServerRoute[] {
	return [
		iconRoute,
		...loginPages(services),
		...oidcPages(services),
		...accountPages(services),
		...invitationPages(services),
		...passwordPages(services),
		...secondFactorPages(services),
		...devicePages(services),
		...activeSessionPages(services),
	];
}
