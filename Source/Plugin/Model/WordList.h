// The words that an instance listens for, as a project stores them, with their vectors, and what the present
// model can do with words. Loading threads that may outlive the instance also use it, so they share it. Any
// thread but the audio thread.
#pragma once

#include "Core/Base/Synchronized.h"
#include "Core/Detection/Queries/ListeningModel.h"
#include "Core/Detection/Queries/TextVectors.h"
#include "Ui/Control/WordControl.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earshot::plugin {

// What a project stores. Vectors of words and of what they are compared with let it open where the text half
// is missing.
struct WordsState {
    static constexpr std::size_t maxTextLength = 500; // bytes
    static constexpr int maxId = 30'000;

    std::vector<ui::Word> words;
    bool joins = false;
    std::string space;                                             // of the vectors (detection::TextVectors)
    std::map<std::string, detection::TextVectors::Vector> vectors; // by text

    bool operator==(const WordsState&) const = default;
};

class WordList {
  public:
    WordsState state() const;
    void set(const WordsState& state);

    // Each returns why it is not done: a sentence for the user, or an empty text.
    std::string add(const std::string& given); // "a dog barks", or "a dog barks=Dog"
    std::string rename(int id, const std::string& name);
    void move(int id, int places); // down; negative: up
    void remove(int id);
    void setJoins(bool joins);

    bool empty() const;
    bool joins() const;
    ui::Words view() const; // without the price
    // What a model of the project is to listen for; no texts: its own classes.
    detection::QueryChoice choice() const;

    // Counts as busy while it lives.
    class Busy {
      public:
        explicit Busy(std::shared_ptr<WordList> list);
        ~Busy();
        Busy(const Busy&) = delete;
        Busy& operator=(const Busy&) = delete;

      private:
        std::shared_ptr<WordList> list_;
    };
    // Another model was chosen, of which nothing is known yet.
    void modelChosen();
    int modelNumber() const; // counts the chosen models
    // What the chosen model can do with texts.
    void modelLoaded(int number, const detection::TextSupport& support);
    // Whether the model can hear words; none while it is not known.
    std::optional<bool> heard() const;

  private:
    struct State {
        std::vector<ui::Word> words;
        bool joins = false;
        int lastId = 0;
        int busy = 0;
        int modelNumber = 0;
        std::optional<detection::TextSupport> support; // null while it is not known
        std::string space;                             // of the vectors that a project stores

        std::string refusal(const std::string& name, int exceptId) const;
    };

    Synchronized<State> state_;
    const std::shared_ptr<detection::TextVectors> known_ = std::make_shared<detection::TextVectors>();
};

} // namespace earshot::plugin
