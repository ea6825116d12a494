import type {AccountServices} from '../accounts/account-services.ts';
import type {ArtifactServices} from '../artifacts/artifact-services.ts';
import type {SandboxServices} from '../sandboxes/sandboxing.ts';
import type {ServerCatalog} from './server-catalog.ts';

/** What the server's operations need. */
export type Services = AccountServices & ArtifactServices & SandboxServices & {readonly catalog: ServerCatalog};
