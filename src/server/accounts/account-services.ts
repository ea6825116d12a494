import type {CoreServices} from '../kit/services.ts';
import type {Seal} from './seal.ts';

/** What accounts and their logins stand on. */
export type AccountServices = CoreServices & {readonly seal: Seal};
