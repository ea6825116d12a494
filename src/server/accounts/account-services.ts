import type {CoreServices} from '../kit/services.ts';
import type {Seal} from './seal.ts';

/** What accounts and logins need. */
export type AccountServices = CoreServices & {readonly seal: Seal};
