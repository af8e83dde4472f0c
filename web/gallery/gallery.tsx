import { createRoot } from 'react-dom/client'
import { Header } from '#web/Header.tsx'
import { DialogGallery } from './DialogGallery.tsx'
import { FormGallery } from './FormGallery.tsx'
import '../style/index.css'
import './gallery.css'

const root = document.getElementById('foyer')

// Mounts itself; only npm run dev serves it.
if (root)
  createRoot(root).render(
    <div className="page">
      <Header note="Every component in every state." />
      <main className="gallery">
        <h1 id="heading" tabIndex={-1}>
          Gallery
        </h1>
        <p className="lead">What the forms and dialogs are made of. Served by npm run dev only.</p>
        <DialogGallery />
        <FormGallery />
      </main>
    </div>,
  )
