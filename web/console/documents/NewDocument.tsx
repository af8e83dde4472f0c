import { ScreenHead } from '../parts.tsx'
import { navigate } from '../router.tsx'
import { DocumentEditor } from './DocumentEditor.tsx'

export const NewDocument = () => (
  <>
    <ScreenHead
      title="Add a document"
      lead="Everybody accepts it before they pay, from the moment it is published. Members who have joined do not."
    />
    <DocumentEditor
      onDone={({ id }) => navigate(`/console/documents/${id}`)}
      onClose={() => navigate('/console/documents')}
    />
  </>
)
