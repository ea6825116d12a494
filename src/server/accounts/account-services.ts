import type {CoreServices} from '../kit/services.ts';
import type {OidcSettings} from './oidc/oidc-settings.ts';
import type {PasswordCost} from './password.ts';
import type {Seal} from './seal.ts';

/** What accounts and logins need. */
export type AccountServices = CoreServices & {
	readonly seal: Seal;
	/** What hashing a new password costs. */
	readonly passwordCost: PasswordCost;
	/** The OpenID provider that users log in with; undefined for none. */
	readonly oidc?: OidcSettings | undefined;
};
