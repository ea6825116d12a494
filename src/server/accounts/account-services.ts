import type {CoreServices} from '../kit/services.ts';
import type {PasswordCost} from './password.ts';
import type {Seal} from './seal.ts';

/** What accounts and logins need. */
export type AccountServices = CoreServices & {
	readonly seal: Seal;
	/** What hashing a new password costs. */
	readonly passwordCost: PasswordCost;
};
