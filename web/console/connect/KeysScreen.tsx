import { useState } from 'react'
import { scopes } from '#contract/connect/keys.ts'
import type { KeyList, KeyView } from '#contract/console/keys.ts'
import { plainDay } from '#contract/days.ts'
import { SuccessNotice } from '#web/ui/SuccessNotice.tsx'
import { useConsole } from '../api.ts'
import { CopyDialog } from '../CopyDialog.tsx'
import { Chip, Panel, ScreenHead, type Tone, Waiting } from '../parts.tsx'
import { Link } from '../router.tsx'
import { useLoaded } from '../useLoaded.ts'
import { CreateKey, RevokeKey } from './KeyDialogs.tsx'

type Question =
  | { kind: 'create' }
  | { kind: 'created'; name: string; text: string }
  | { kind: 'revoke'; apiKey: KeyView }

/** The keys that the operator's own systems call the API with. */
export function KeysScreen() {
  const { api, may } = useConsole()
  const loaded = useLoaded('keys', () => api.listApiKeys({}))
  const { data, setData } = loaded
  const [question, setQuestion] = useState<Question>()
  const [success, setSuccess] = useState<string>()
  const close = () => setQuestion(undefined)
  const isOwner = may('manage_keys')
  const ask = (question: Question) => {
    setSuccess(undefined)
    setQuestion(question)
  }
  return (
    <>
      <ScreenHead title="API keys" lead="Each key lets one of your own systems use the API.">
        {isOwner && (
          <button type="button" className="button" onClick={() => ask({ kind: 'create' })}>
            Create a key
          </button>
        )}
      </ScreenHead>
      <SuccessNotice message={success} />
      {data ? (
        <Keys {...data} onRevoke={isOwner ? (apiKey) => ask({ kind: 'revoke', apiKey }) : undefined} />
      ) : (
        <Waiting loaded={loaded} />
      )}
      {question?.kind === 'create' && (
        <CreateKey
          onClose={close}
          onDone={(name, { key, ...list }) => {
            setData(list)
            setQuestion({ kind: 'created', name, text: key })
          }}
        />
      )}
      {question?.kind === 'created' && (
        <CopyDialog
          title={`The key for ${question.name}`}
          text="Copy it now: we won’t show it again. Store it with your passwords, never in code or chat."
          value={question.text}
          label="Copy the key"
          isSecret
          onClose={() => {
            setSuccess(`${question.name} can now use the API.`)
            close()
          }}
        />
      )}
      {question?.kind === 'revoke' && (
        <RevokeKey
          apiKey={question.apiKey}
          onClose={close}
          onDone={(list) => {
            setData(list)
            setSuccess(`${question.apiKey.name} is revoked.`)
            close()
          }}
        />
      )}
    </>
  )
}

type KeysProps = KeyList & { onRevoke: ((key: KeyView) => void) | undefined }

function Keys({ keys, onRevoke }: KeysProps) {
  const isUsable = ({ state }: KeyView) => state === 'active' || state === 'ending'
  const usable = keys.filter(isUsable)
  const others = keys.filter((key) => !isUsable(key))
  return (
    <>
      {usable.length ? (
        <Panel title="Active">
          <KeyRows keys={usable} onRevoke={onRevoke} />
        </Panel>
      ) : (
        <p className="empty">No active API keys.</p>
      )}
      {others.length > 0 && (
        <Panel title="No longer valid">
          <KeyRows keys={others} onRevoke={undefined} />
        </Panel>
      )}
    </>
  )
}

const KeyRows = ({ keys, onRevoke }: { keys: KeyView[]; onRevoke: KeysProps['onRevoke'] }) => (
  <ul className="rows">
    {keys.map((key) => (
      <li key={key.id}>
        <KeyRow apiKey={key} />
        {onRevoke && (
          <div className="row-actions">
            <button type="button" className="link danger" onClick={() => onRevoke(key)}>
              Revoke<span className="unseen"> {key.name}</span>
            </button>
          </div>
        )}
      </li>
    ))}
  </ul>
)

const tones: Record<KeyView['state'], Tone> = { active: 'good', ending: 'warn', ended: 'plain', revoked: 'plain' }

function stateText({ state, ends_on, revoked_on }: KeyView): string {
  const end = ends_on && plainDay(ends_on)
  switch (state) {
    case 'ending':
      return `expires ${end}`
    case 'ended':
      return `expired ${end}`
    case 'revoked':
      return revoked_on ? `revoked ${plainDay(revoked_on)}` : 'revoked'
    default:
      return end ? `until ${end}` : 'active'
  }
}

function KeyRow({ apiKey }: { apiKey: KeyView }) {
  const { may } = useConsole()
  const { name, ending, created_on, created_by, used_on, state } = apiKey
  return (
    <div>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        <Chip tone={tones[state]}>{stateText(apiKey)}</Chip>
      </p>
      <p className="small">
        ends with <code>{ending}</code> · {used_on ? `last used ${plainDay(used_on)}` : 'never used'} · created{' '}
        {plainDay(created_on)} by <bdi>{created_by ?? 'the command line'}</bdi>
        {state === 'revoked' && may('see_audit') && (
          <>
            {' '}
            · <Link to="/console/audit?action=revoke_api_key">why</Link>
          </>
        )}
      </p>
      <ul className="scopes">
        {apiKey.scopes.map((scope) => (
          <li key={scope} title={scopes[scope]}>
            <code>{scope}</code>
          </li>
        ))}
      </ul>
    </div>
  )
}
