import type { AppSecret } from '#contract/credentials.ts'
import { CodeField } from './CodeField.tsx'

type AppSetupProps = { secret: AppSecret; field: { name: string; error?: string | undefined } }

/** The secret for an authenticator app, as a QR code and as text, and the field for its first code. */
export const AppSetup = ({ secret, field }: AppSetupProps) => (
  <>
    <div className="app-setup">
      <svg
        viewBox={`0 0 ${secret.qr_size} ${secret.qr_size}`}
        role="img"
        aria-label="QR code for your authenticator app"
      >
        <path className="qr-paper" d={`M0 0h${secret.qr_size}v${secret.qr_size}H0z`} />
        <path className="qr-ink" d={secret.qr_path} />
      </svg>
      <p>
        Scan this with your authenticator app, or type the key into it:
        <code>{secret.secret.match(/.{4}/g)?.join(' ')}</code>
      </p>
    </div>
    <CodeField {...field} label="Code that the app shows" hint="Six digits" />
  </>
)
